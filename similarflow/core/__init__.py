"""What is defined: graphs, their nodes, the registries, the gradients."""
