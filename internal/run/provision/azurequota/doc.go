// Package azurequota counts cloud quota of Azure: what each subscription has and uses of
// every meter in a region, by the usage API of the compute service.
//
// A count is whole or an error: of pages that cannot all be read none counts. How long Azure
// asks to wait is handed on. Nothing is changed in Azure.
//
// Read quota.go (the adapter), then identity.go (who asks).
package azurequota
