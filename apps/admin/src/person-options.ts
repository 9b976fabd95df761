import type { PersonNamed } from '@quarry/dto';
import type { Options } from './commands.js';

/** @returns the person named by the options of a command; omitted options are undefined */
export function personOf(options: Options): PersonNamed {
  return {
    email: textOf(options.email),
    linkedin_url: textOf(options['linkedin-url']),
    name: textOf(options.name),
    company: textOf(options.company),
  };
}

function textOf(value: Options[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
