// Package azurequota counts cloud quota of Azure: what each subscription has and uses of
// every meter in a region, by the usage API of the compute service. Where a blueprint says
// so, it asks for more, by the quota service.
//
// A count is whole or an error: of pages that cannot all be read none counts. How long Azure
// asks to wait is handed on.
//
// Read quota.go (the count), request.go (what is asked for), then identity.go (who asks).
package azurequota
