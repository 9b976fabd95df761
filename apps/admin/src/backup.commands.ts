import { auditLedger } from '@quarry/credit-ledger';
import { restoreBackup, writeBackup } from '@quarry/installation';
import { DirectoryStore } from '@quarry/imported';
import type { Command } from './commands.js';

/** Commands that back up everything in PostgreSQL into one file, and restore it. */
export const BACKUP_COMMANDS: Readonly<Record<string, Command>> = {
  backup: {
    description: 'Writes a full backup to one file, also while Quarry runs.',
    usage: 'backup --file F [--without-directories]',
    options: { file: 'required', 'without-directories': 'switch' },
    run: async (database, options) => {
      const file = String(options.file);
      const { tables, bytes } = await writeBackup(database, file, {
        directories: options['without-directories'] !== true,
      });
      return { file, byte_length: bytes, rows: tables };
    },
  },
  restore: {
    description: 'Restores a backup into an empty database.',
    usage: 'restore --file F   (into an empty database; stop Quarry first)',
    options: { file: 'required' },
    prepare: async (url, options) => restoreBackup(url, String(options.file)),
    run: async (database, options, rows) => {
      const file = String(options.file);
      await new DirectoryStore(database).buildMissingIndexes();
      const faults = await auditLedger(database);
      if (faults.length > 0)
        throw new Error(
          `The backup was restored, but the credit ledger is inconsistent: ${faults.slice(0, 5).join(' ')}`,
        );
      return { file, rows, ledger_faults: 0 };
    },
  },
};
