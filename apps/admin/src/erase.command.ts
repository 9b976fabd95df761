import { PersonErasure } from '@quarry/composition';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/platform';
import type { Command, Options } from './commands.js';

/** Source: contract decisions, section 7. */
export const ERASE_COMMAND: Readonly<Record<string, Command>> = {
  erase: {
    says: 'Erases a person from everything that an organisation has, and prints the receipt.',
    usage: 'erase --org O (--email E | --linkedin-url U | --name N --company C)',
    options: {
      org: 'required',
      email: 'optional',
      'linkedin-url': 'optional',
      name: 'optional',
      company: 'optional',
    },
    run: async (database, options) => {
      const orgId = String(options.org);
      await new IdentityStore(database).requireOrganisation(systemCtx('admin'), orgId);
      const person = {
        email: textOf(options.email),
        linkedin_url: textOf(options['linkedin-url']),
        name: textOf(options.name),
        company: textOf(options.company),
      };
      return { ...(await new PersonErasure(database).eraseEverywhere(systemCtx('admin', orgId), person)) };
    },
  },
};

function textOf(value: Options[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
