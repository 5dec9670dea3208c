"""Use cases: what the dashboard and the command line ask of the engine."""
