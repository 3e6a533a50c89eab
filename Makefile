# Muster's daily commands. They need Go, make and git; everything else is pinned
# in go.mod and tools/, and Go builds it when it is first asked for.
# ARGS is handed on: make demo ARGS='--listen 127.0.0.1:9090'

SHELL = bash
FUZZTIME ?= 60s
# Rooms with goroutines of their own: `make test` runs these with the race detector too, `make prove` those whose
# dependencies take minutes to build or to run under it.
RACED = ./internal/run/engine ./internal/run/journal ./internal/run/journal/memory ./internal/run/driver/...
RACEDLONG = ./internal/faces/api/... ./client/... ./internal/run/journal/sqlite ./internal/prove/demo ./internal/clusters/kube ./internal/server

# Rooms with tests that start a real Kubernetes control plane. One after the other: each start needs both of two cores.
# In the driver's room they stand in files of their own, so that the others need not run twice.
REAL = ./internal/clusters/kube/... ./internal/prove/stage ./internal/run/provision/scalesets
REALTESTS = ^($$(sed -n 's/^func \(Test[A-Za-z0-9]*\)(t .*/\1/p' internal/clusters/kube/*_real_test.go internal/prove/stage/*_real_test.go internal/run/provision/scalesets/*_real_test.go | paste -sd'|'))$$

# Those of them that run once more with kube-scheduler binding pods; all others let Muster bind them (MUSTER_BIND).
YIELDINGTESTS = ^(TestAGangStartsWholeInOneIsland|TestFaultsLoseNothingAndStartNothingTwice|TestFromWatchingToDeciding)$$

# Tests that need a browser: the pages, and signing in at a provider of npm.
PAGESTESTS = ^(TestPages|TestSignInAtARealProvider)$$

# 1: tests on a real control plane are part of the proof, and its programs are built where they are missing (once,
# minutes); try: they are left out where it cannot be built; 0: they are left out.
MUSTER_CONTROLPLANE ?= 1

# How long each room's tests on a real control plane may take: three times what they take on two quiet cores.
REALTIMEOUT = 30m

# What is drawn anew with every commit begins here.
DRAW = $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || date +%y%m%d)))

# Tests without a browser and without a control plane.
ALONE = MUSTER_CONTROLPLANE=0 MUSTER_E2E=0

GOLANGCI = go tool -modfile=tools/lint/go.mod golangci-lint

# Tests are built without vet: it would read every dependency for itself, a fifth of a cold build. The linters ask all
# that vet asks (govet). And without tables for a debugger (-w): they are more than a third of linking, for each room.
GOTEST = go test -vet=off -ldflags=-w

# One room more at a time than there are cores: tests of the server, of journals and of lines to clusters wait a lot.
ALLROOMS = $(GOTEST) -p $$(($$(nproc 2>/dev/null || echo 2)+1)) -timeout 20m

.PHONY: compare prove prove-real race-long chaos-long pages-test pages-try pictures help helm manifests reproducible image demo test race lint fmt generate metrics fuzz controlplane controlplane-test controllers-test controlplane-race controlplane-up bench build release clean promise conformance
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: build ## start the demo fleet with live load; Ctrl-C stops it
	@bin/muster up --demo $(ARGS)

# The server's take longest and wait a lot, so they are begun first, beside all others. Tests of the raced rooms run once,
# with the race detector; where there is none, they run without. The stories are tests of internal/prove/scenario.
test: ## prove it, in minutes: the walls, all tests and stories, the race detector where it matters
	@set -eo pipefail; rooms=./...; \
	[ "$$(go env CGO_ENABLED)" != 1 ] || rooms=$$(go list ./... | grep -vxF "$$(go list $(RACED))"); \
	echo "go test of $$(wc -w <<< "$$(go list $$rooms)") rooms; the raced ones come after them"; \
	$(ALONE) $(ALLROOMS) ./internal/server $$rooms
	@$(call raced,$(RACED))

# What `make prove` adds: a name, how long it takes on two quiet cores with its programs built, and the target. The first
# runs beside the second, which leaves two thirds of two cores idle, and gives way to it.
BESIDE = race-long
PROOFS = controlplane-test:14 pages-try:7 chaos-long:3
prove: ## prove more (half an hour, once its programs are built): long races, pages in a browser, a real Kubernetes control plane with other people's controllers, long chaos
	@said=$$(mktemp); trap 'rm -f $$said; kill $$(jobs -p) 2>/dev/null' EXIT; \
	n=0; told() { echo "==> $$(date +%T) prove $$*"; }; \
	told "$(BESIDE) begins, beside the others; what it says comes at its end"; started=$$(date +%s); \
	nice -n 5 $(MAKE) --no-print-directory $(BESIDE) > $$said 2>&1 & beside=$$!; \
	ended() { wait $$beside; code=$$?; cat $$said; [ $$code = 0 ] || exit $$code; told "$(BESIDE): passed, $$(($$(date +%s)-started)) s after it began"; }; \
	for proof in $(PROOFS); do n=$$((n+1)); began=$$(date +%s); \
		told "$$n of $(words $(PROOFS)): $${proof%:*} (about $${proof#*:} min)"; \
		$(MAKE) --no-print-directory $${proof%:*} || exit 1; \
		told "$$n of $(words $(PROOFS)): $${proof%:*} passed in $$(($$(date +%s)-began)) s"; \
		[ $$n != 1 ] || ended; done

race-long: # rooms that take long with the race detector; of the scripts a third, drawn by the commit
	@export MUSTER_SCRIPTS=$(DRAW)/3; $(call raced,$(RACEDLONG))

chaos-long: # random fleets and judged decisions, from seeds that differ with every commit; the seed is printed
	@first=$(DRAW); set -x; \
	$(GOTEST) -count=1 -timeout 20m ./internal/prove/chaos -worlds 50 && \
	$(GOTEST) -count=1 -timeout 20m ./internal/prove/chaos -run '^TestRandomFleets(InSilence)?$$' -worlds 100 -first $$first && \
	$(GOTEST) -count=1 -timeout 20m ./internal/prove/judge -run Judge -cases 5000 -seed $$first && \
	$(GOTEST) -count=1 -timeout 20m ./internal/run/provision -every -lives 60

prove-real: REALTIMEOUT = 90m
prove-real: pages-test ## prove more yet: other people's controllers, 100 random faults, clusters together (an hour)
	@MUSTER_CONTROLLERS=1 MUSTER_FAULTS=$${MUSTER_FAULTS:-100}; export MUSTER_CONTROLLERS MUSTER_FAULTS; $(real)
	MUSTER_CONTROLPLANE=$(MUSTER_CONTROLPLANE) $(GOTEST) -p 1 -count=1 -timeout 90m -run 'Clusters|APIServer' ./internal/server

pages-test: ## the pages in chromium; needs node too, and takes playwright-core and axe-core from the npm registry
	cd internal/faces/web/e2e && npm ci --no-audit --no-fund
	MUSTER_E2E=1 $(GOTEST) -count=1 -timeout 60m -run '$(PAGESTESTS)' -v ./internal/server

pages-try: # the same where chromium, node and those packages are there or can be had; else it says why not, and is no failure
	@$(pages)

pictures: build ## the pictures of pages in docs/img, from the demo after a minute; needs chromium and node
	[ -d internal/faces/web/e2e/node_modules/axe-core ] || (cd internal/faces/web/e2e && npm ci --no-audit --no-fund)
	@data=$$(mktemp -d) && { bin/muster up --demo --listen 127.0.0.1:6899 --data $$data & } && trap "kill $$!; rm -rf $$data" EXIT && sleep 8 && cd internal/faces/web/e2e && \
	TALL=900 node shots.mjs http://127.0.0.1:6899 ../../../../docs/img page-run=/run:light && sleep 60 && \
	TALL=900 node shots.mjs http://127.0.0.1:6899 ../../../../docs/img page-fleet=/:light page-partition=/partition/tiger/h200:light "page-haircuts=/haircuts?basis=quota&kind=fixed&share=25:light"
	go run ./internal/faces/web/e2e/small docs/img/page-*.png

race: ## every test with the race detector
	@$(call raced,./...)

lint: ## the linters of .golangci.yml, vet among them
	$(GOLANGCI) run

fmt: ## format the code as lint wants it
	$(GOLANGCI) fmt

generate: ## gen/, the OpenAPI document and gen.sha256 from proto/; the pages' code from their .templ files
	go run github.com/a-h/templ/cmd/templ@v0.3.977 generate -path internal/faces/web -log-level error
	go build -C tools/gen -o ../../bin/tools/ tool
	PATH="$(CURDIR)/bin/tools:$$PATH" buf generate
	find proto gen buf.gen.yaml tools/gen/go.mod -type f | LC_ALL=C sort | xargs sha256sum > gen.sha256

metrics: build ## dashboard, alert rules and docs/metrics.md from the list of metrics
	bin/muster metrics dashboard > deploy/grafana/muster.json
	bin/muster metrics alerts > deploy/prometheus/muster.rules.yaml
	bin/muster metrics markdown > docs/metrics.md

fuzz: ## each fuzz target for FUZZTIME (60s)
	@targets=$$($(GOTEST) -list '^Fuzz' ./...) || { echo "$$targets"; exit 1; }; \
	echo "$$targets" | awk '/^Fuzz/ {f[n++] = $$1} /^ok/ {for (i = 0; i < n; i++) print $$2, f[i]; n = 0}' | \
	while read -r package target; do \
		echo "== $$package $$target $(FUZZTIME)"; \
		$(GOTEST) -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" || exit 1; \
	done

controlplane: ## build the control plane that real-cluster tests start, once (minutes); it is kept outside the clone
	MUSTER_CONTROLPLANE=1 $(GOTEST) -count=1 -timeout 90m -run TestTheControlPlaneIsBuilt -v ./internal/prove/kubetest

controlplane-test: ## of make prove the tests on a real Kubernetes control plane alone; builds it where it is missing
	@$(real)

controllers-test: ## the tests with other people's controllers (JobSet, LeaderWorkerSet, RayCluster, MPIJob, TrainJob, Azure Service Operator); builds these where they are missing, each from test/controllers (minutes)
	MUSTER_CONTROLPLANE=1 MUSTER_CONTROLLERS=1 $(GOTEST) -p 1 -count=1 -timeout 90m -run 'JobSet|Trainers|LeaderWorkerSet|RayCluster|MPIJob|TrainJob|AzureServiceOperator' ./internal/clusters/kube ./internal/run/provision/scalesets

controlplane-race: ## the same with the race detector, and 100 random faults
	MUSTER_CONTROLPLANE=1 MUSTER_FAULTS=$${MUSTER_FAULTS:-100} $(GOTEST) -race -p 1 -count=1 -timeout 120m $(REAL)

NODES ?= 200
controlplane-up: ## a control plane with 200 (NODES) made-up nodes, to try things on; Ctrl-C ends it
	MUSTER_CONTROLPLANE=1 MUSTER_CONTROLPLANE_NODES=$(NODES) $(GOTEST) -count=1 -timeout 0 -run TestStaysUp -v ./internal/prove/kubetest

HELM = bin/tools/helm
TEMPLATE = $(HELM) template muster deploy/helm/muster --namespace muster --kube-version 1.36.0 2>/dev/null
AGENT = $(TEMPLATE) --set server.enabled=false --set agent.server=muster.example.org:6879 --show-only templates/agent.yaml --show-only templates/bindings.yaml --show-only templates/signpost.yaml
WEBHOOK = --set server.enabled=false --set agent.server=muster.example.org:6879 --set agent.mode=manage --set agent.admission.by=webhook \
	--set agent.admission.webhook.tlsSecret=muster-webhook-tls --set 'agent.admission.webhook.annotations.cert-manager\.io/inject-ca-from=muster/muster-webhook'
MADE = kubernetes/server.yaml kubernetes/agent-observe.yaml kubernetes/agent-manage.yaml kubernetes/agent-kueue.yaml kubernetes/visit-jobs.yaml kubernetes/webhook.yaml

helm: ## bin/tools/helm, pinned in tools/helm (minutes, once)
	go build -modfile=tools/helm/go.mod -trimpath -o $(HELM) helm.sh/helm/v3/cmd/helm

manifests: ## the plain manifests in deploy/kubernetes, from the Helm chart
	@test -x $(HELM) || $(MAKE) helm
	$(TEMPLATE) --set agent.enabled=false > deploy/kubernetes/server.yaml
	$(AGENT) > deploy/kubernetes/agent-observe.yaml
	$(AGENT) --set agent.mode=manage > deploy/kubernetes/agent-manage.yaml
	$(AGENT) --set agent.mode=kueue > deploy/kubernetes/agent-kueue.yaml
	$(TEMPLATE) --set agent.mode=manage --set agent.visitJobs.enabled=true --show-only templates/visitjobs.yaml > deploy/kubernetes/visit-jobs.yaml
	$(TEMPLATE) $(WEBHOOK) --show-only templates/webhook.yaml > deploy/kubernetes/webhook.yaml
	cd deploy && find helm -type f | LC_ALL=C sort | xargs sha256sum > kubernetes/chart.sha256
	cd deploy && sha256sum $(MADE) >> kubernetes/chart.sha256

reproducible: ## build the release twice in two folders and compare the bytes (minutes)
	MUSTER_REPRODUCIBLE=1 $(GOTEST) -count=1 -timeout 60m -run TestABuildIsReproducible -v ./internal/server

image: ## the container image, from the Dockerfile
	docker build -t muster:$$(git describe --tags --always) .

bench: build ## the figures: Go benchmarks, then muster bench
	$(GOTEST) -run '^$$' -bench . -benchmem ./...
	bin/muster bench $(ARGS)

compare: build ## the same work through Muster and other schedulers on real control planes, as docs/compare.md has it (hours; ARGS='-work jobs,gang -runs 1' measures some of it)
	MUSTER_CONTROLPLANE=1 MUSTER_KUEUE=1 go run ./internal/prove/compare -into docs/compare.md -keep docs/figures/compare.json $(ARGS)
	go run ./internal/faces/draw/docpictures docs/img

promise: build ## the tables and the picture of docs/figures/promise.md, from FAULTS
	bin/muster backtest --faults $(FAULTS) --nodes 400 --islands 400,100,50 --into docs/figures/promise.md#fleet
	bin/muster backtest --faults $(FAULTS) --nodes 400 --islands 400,100,50 --horizon 24h --to 100d --into docs/figures/promise.md#first
	bin/muster backtest --faults $(FAULTS) --nodes 400 --islands 400,100,50 --horizon 24h --from 100d --into docs/figures/promise.md#last
	bin/muster backtest --faults $(FAULTS) --nodes 400 --islands 400,100,50 --plot=false --svg docs/img/promise-frontier.svg \
		--policy fixed=0.03,fixed=0.05,fixed=0.08,fixed=0.1,fixed=0.15,fixed=0.2,fixed=0.3,rolling=0.99,hindsight=0.9,hindsight=0.95,hindsight=0.98,hindsight=0.99,hindsight=0.995 \
		--policy binomial=0.9,binomial=0.95,binomial=0.98,binomial=0.99,binomial=0.995,binomial=0.999 \
		--policy calibrated=0.9,calibrated=0.95,calibrated=0.98,calibrated=0.99,calibrated=0.995,calibrated=0.999 >/dev/null

conformance: ## docs/conformance.md from the stories in scenarios/
	go run ./cmd/muster scenario conformance scenarios > docs/conformance.md.new
	mv docs/conformance.md.new docs/conformance.md

build: ## bin/muster
	go build -o bin/muster ./cmd/muster

release: ## bin/release: the program, what it is made of (CycloneDX), and the checksums of both
	mkdir -p bin/release
	CGO_ENABLED=0 go build -trimpath -o bin/release/muster ./cmd/muster
	go run ./internal/prove/sbom bin/release/muster > bin/release/muster.cdx.json
	cd bin/release && sha256sum muster muster.cdx.json > SHA256SUMS

clean: ## remove what the others made
	rm -rf bin

# Tests on a real control plane; its programs are built first, which says how far it is. Each test is told when it ends,
# and all that was said is shown if one fails. A test that waits for ever ends well before the run that calls this does.
define real
if [ "$(MUSTER_CONTROLPLANE)" = 0 ]; then echo "real control plane NOT run: MUSTER_CONTROLPLANE=0"; else set -eo pipefail; export MUSTER_CONTROLPLANE=$(MUSTER_CONTROLPLANE); \
said=$$(mktemp); trap "rm -f $$said" EXIT; \
told() { "$$@" > >(tee $$said | grep --line-buffered -E '^(--- |ok|FAIL|panic: )') 2>&1 || { echo "== all that it said"; tail -n 500 $$said; return 1; }; }; \
$(GOTEST) -count=1 -timeout 120m -run TestTheControlPlaneIsBuilt -v ./internal/prove/kubetest | grep -v '^=== '; \
echo "go test ./internal/clusters/kube ./internal/prove/stage ./internal/run/provision/scalesets: the tests of their *_real_test.go"; told $(GOTEST) -p 1 -count=1 -failfast -v -timeout $(REALTIMEOUT) -run "$(REALTESTS)" ./internal/clusters/kube ./internal/prove/stage ./internal/run/provision/scalesets; \
echo "the most important of them, with kube-scheduler binding"; export MUSTER_BIND=scheduler; told $(GOTEST) -count=1 -failfast -v -timeout $(REALTIMEOUT) -run "$(YIELDINGTESTS)" ./internal/clusters/kube; fi
endef

# The pages in a browser, where there is one.
define pages
why=; \
[ "$$MUSTER_E2E" != 0 ] || why="MUSTER_E2E=0"; \
[ -x "$${CHROMIUM:-/usr/bin/chromium}" ] || why="there is no chromium at $${CHROMIUM:-/usr/bin/chromium}"; \
command -v node >/dev/null || why="there is no node"; \
[ -n "$$why" ] || [ -d internal/faces/web/e2e/node_modules/axe-core ] || (cd internal/faces/web/e2e && timeout 300 npm ci --no-audit --no-fund) || why="npm ci failed in internal/faces/web/e2e"; \
if [ -n "$$why" ]; then echo "pages NOT opened in a browser: $$why"; else set -x; MUSTER_E2E=1 $(GOTEST) -count=1 -timeout 30m -run '$(PAGESTESTS)' ./internal/server; fi
endef

# Tests with the race detector, where there is a C compiler for it.
define raced
if [ "$$(go env CGO_ENABLED)" = 1 ]; then set -x; $(ALONE) $(GOTEST) -race -timeout 30m $(1); \
else echo "race detector NOT run: it needs a C compiler (gcc or clang), and this machine has none"; fi
endef
