"""Door to models: providers that read pages, and embedders. The only room that talks to a model."""
