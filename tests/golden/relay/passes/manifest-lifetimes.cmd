opt {} --passes "ManifestLifetimes()"
