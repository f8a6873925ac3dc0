opt {} --passes "MetaScheduleTuneIRMod(work_dir='w', max_trials_global=10)"
