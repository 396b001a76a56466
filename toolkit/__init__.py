"""The toolkit: policies as data, stored records, reports. Knows nothing of Datarim (see the package ``verify``)."""

__version__ = "0.1.0"
