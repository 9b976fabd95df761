// Names in the forms used for files, classes and values.

/** @returns 'find-patents' for 'findPatents', 'FindPatents' or 'find patents' */
export const kebabOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_]+/g, '-')
    .toLowerCase();

/** @returns 'findPatents' for 'find-patents' */
export const camelOf = (name) => kebabOf(name).replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** @returns 'FindPatents' for 'find-patents' */
export const pascalOf = (name) => camelOf(name).replace(/^./, (letter) => letter.toUpperCase());

/** @throws Error when a name is not a valid identifier */
export function requireName(name) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(kebabOf(name)))
    throw new Error(`"${name}" cannot be a name: letters, digits and hyphens, beginning with a letter.`);
}
