// The source that the precompiled headers are compiled with.
