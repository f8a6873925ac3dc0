run {} --record /nowhere/x.rxtrace --record-keep some
