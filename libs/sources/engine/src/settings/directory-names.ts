/** Begins the ids of directories that were imported. */
export const IMPORTED = 'directory:';

/** Pattern of a directory's name; answers give it as `directory:<name>`. */
export const DIRECTORY_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
