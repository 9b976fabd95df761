import { IdempotentRequests } from '@quarry/postgres';
import { PRODUCT_ERASURE } from '@quarry/composition';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { PersonErasure } from '@quarry/privacy';
import type { Command } from './commands.js';
import { personOf } from './person-options.js';

/** Source: docs/contract.md#7-operating-it. */
export const ERASE_COMMAND: Readonly<Record<string, Command>> = {
  erase: {
    description: 'Erases a person from all data of an organisation, and prints the receipt.',
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
      const erasure = new PersonErasure(database, new IdempotentRequests(database), PRODUCT_ERASURE);
      return { ...(await erasure.eraseEverywhere(systemCtx('admin', orgId), personOf(options))) };
    },
  },
};
