opt {} --passes "ManifestSharedMemoryLocalStage()"
