// Names in the forms that files, classes and values have.

/** @returns 'find-patents' of 'findPatents', 'FindPatents' or 'find patents' */
export const kebabOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_]+/g, '-')
    .toLowerCase();

/** @returns 'findPatents' of 'find-patents' */
export const camelOf = (name) => kebabOf(name).replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** @returns 'FindPatents' of 'find-patents' */
export const pascalOf = (name) => camelOf(name).replace(/^./, (letter) => letter.toUpperCase());

/** @throws Error when a name cannot stand in code */
export function requireName(name) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(kebabOf(name)))
    throw new Error(`"${name}" cannot be a name: letters, digits and hyphens, beginning with a letter.`);
}
