// Package prove is the floor of proofs: is it right, and how fast. It has no code of its own.
//
//	scenario, simulate, demo   the engine in virtual or real time, from files, traces, a seed
//	backtest, bench            policies against the recorded past; figures
//	judge, chaos, kubetest     an independent answer, everything going wrong, a real control plane
//	compare                    the same work through Muster and through other schedulers
//	oracle                     random stories, judged by laws of the contract
//	buildstudy                 200 clusters built in 90 days of virtual time
//	siege                      one hostile caller against a server with its people
//	stage                      stories on a real Kubernetes cluster
//	tofutest                   a small provider of OpenTofu and Terraform
//	testmodule                 finds the modules below test
//	mutate                     counts the mistakes in decide that the tests notice
//	walls, prose, layout       hold imports and English; measure the layout
//	trace                      reads job traces
//	sbom                       writes what a program is made of
//
// What is proved is the code that serves production: no room here has a second engine.
// Only judge and oracle work out by code of their own what is right, and compare.
package prove
