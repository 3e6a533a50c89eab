package nodefit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// HostPort is a port of the node that a pod takes for itself.
type HostPort struct {
	IP       string // anyAddress: on all addresses of the node
	Protocol corev1.Protocol
	Port     int32
}

func (h HostPort) String() string { return fmt.Sprintf("%s/%d", h.Protocol, h.Port) }

const anyAddress = "0.0.0.0"

// hostPorts lists the ports of the node that a pod's containers take, those of sidecars too.
func hostPorts(p *corev1.Pod) (list []HostPort) {
	note := func(c *corev1.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				list = append(list, hostPort(port))
			}
		}
	}
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			note(c)
		}
	}
	for i := range p.Spec.Containers {
		note(&p.Spec.Containers[i])
	}
	return list
}

func hostPort(port corev1.ContainerPort) HostPort {
	h := HostPort{port.HostIP, port.Protocol, port.HostPort}
	if h.IP == "" {
		h.IP = anyAddress
	}
	if h.Protocol == "" {
		h.Protocol = corev1.ProtocolTCP
	}
	return h
}

// clashes says whether two pods cannot have these ports on one node.
func (h HostPort) clashes(o HostPort) bool {
	return h.Port == o.Port && h.Protocol == o.Protocol && (h.IP == o.IP || h.IP == anyAddress || o.IP == anyAddress)
}
