"""What models look at in a heartbeat: attributions by sample, and what deletion in their order costs, as tables."""

ATTRIBUTIONS, DELETIONS = "attributions", "deletions"
GRADIENT, INTEGRATED, OCCLUSION = METHODS = ("gradient × difference", "integrated gradients", "occlusion")
#: What stands beside the methods: samples in random order.
RANDOM_ORDER = "random"
ORDERS = (*METHODS, RANDOM_ORDER)
