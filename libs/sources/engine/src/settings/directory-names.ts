/** Begins the ids of directories that were imported. */
export const IMPORTED = 'directory:';

/** What a directory may be called; answers name it as `directory:<name>`. */
export const DIRECTORY_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
