# A project of the example: the network of a cluster. terraform_data is built in, so
# nothing is downloaded, and nothing costs money.

variable "cluster" { type = string }
variable "region" { type = string }

resource "terraform_data" "network" {
  input = "${var.cluster}-${var.region}"
}
