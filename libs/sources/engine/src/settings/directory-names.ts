/** Prefix of the ids of imported directories. */
export const IMPORTED = 'directory:';

/** Pattern of a directory's name; responses show it as `directory:<name>`. */
export const DIRECTORY_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
