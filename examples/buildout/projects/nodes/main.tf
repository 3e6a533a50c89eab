# A project of the example: one resource for each island, with as many nodes as the record says.

variable "cluster" { type = string }
variable "sku" { type = string }
variable "islands" { type = map(number) }

resource "terraform_data" "island" {
  for_each = var.islands
  input    = { cluster = var.cluster, island = each.key, nodes = each.value, sku = var.sku }
}
