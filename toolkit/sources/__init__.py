"""Where the policies in force come from: what is shipped, the profile, the user's layer and the repository's."""

from toolkit.sources.loading import LoadedPolicies, load_layer, load_policies
from toolkit.sources.places import find_layer

__all__ = ["LoadedPolicies", "find_layer", "load_layer", "load_policies"]
