# Muster's image: one static binary and the certificates that webhooks need, nothing else.
# The same sources give the same binary (make reproducible).
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -buildid=" -o /muster ./cmd/muster && mkdir -m 0700 /data && mkdir -m 1777 /scratch

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /muster /muster
COPY --from=build --chown=65532:65532 /data /data
COPY --from=build /scratch /tmp
# kubectl copies its plugins from here: docker cp $(docker create muster):/muster kubectl-muster
USER 65532:65532
ENTRYPOINT ["/muster"]
