import { resealMailboxes } from '@quarry/outreach';
import { namedVariable, SealedSecrets, ENCRYPTION_KEY_CHARACTERS_MIN } from '@quarry/app';
import { resealKeys } from '@quarry/providers';
import { resealWebhooks } from '@quarry/webhooks';
import type { Command } from './commands.js';

/** Commands that rotate the secrets which seal values in the database. */
export const SECRET_COMMANDS: Readonly<Record<string, Command>> = {
  'secrets:reseal': {
    description:
      'Encrypts stored keys and secrets again with the first of ENCRYPTION_KEYS, so that the others can be removed.',
    usage: 'secrets:reseal',
    options: {},
    run: async (database) => {
      const secrets = secretsOf(namedVariable('ENCRYPTION_KEYS'));
      const keys = await resealKeys(database, secrets);
      const webhooks = await resealWebhooks(database, secrets);
      const mailboxes = await resealMailboxes(database, secrets);
      const sum = (of: keyof typeof keys): number => keys[of] + webhooks[of] + mailboxes[of];
      const resealed = { resealed: sum('resealed'), current: sum('current'), unreadable: sum('unreadable') };
      // An operator who removes an old secret after a success would lose the unreadable values for good, so this is an error.
      if (resealed.unreadable > 0)
        throw new Error(
          `${resealed.unreadable} secrets cannot be decrypted with any of ENCRYPTION_KEYS, ${resealed.resealed} were encrypted again. Keep the old keys.`,
        );
      return resealed;
    },
  },
};

/** @throws Error for a variable that is missing, or too short to have sealed anything */
function secretsOf(variable: string | undefined): SealedSecrets {
  const keys = (variable ?? '').split(',').map((key) => key.trim());
  if (keys.some((key) => key.length < ENCRYPTION_KEY_CHARACTERS_MIN))
    throw new Error(
      `ENCRYPTION_KEYS must be "new,old": keys of ${ENCRYPTION_KEY_CHARACTERS_MIN} characters or more, the one to encrypt with first.`,
    );
  return new SealedSecrets(keys);
}
