import { describe } from '@jest/globals';
import { containerOf, itFinds, type Manifest } from './manifest-kit.js';
import { faultsOfEnvironments } from './environment-rules.js';

describe('the variables of manifests', () => {
  const rename = (all: Manifest[], key: string, from: string, to: string) => {
    containerOf(all, key).env.find(({ name }: Manifest) => name === from).name = to;
  };

  itFinds('are those that their apps know and need, with secrets marked as such', faultsOfEnvironments, [
    [
      'an unknown variable',
      (all) => rename(all, 'Deployment/tables', 'LOG_LEVEL', 'LOG_LEVELS'),
      'LOG_LEVELS, which tables does not know',
    ],
    [
      'a lost variable',
      (all) => rename(all, 'Deployment/tables', 'CURSOR_SECRET', 'RPC_HOST'),
      'lacks CURSOR_SECRET',
    ],
    [
      'a setting that stays away',
      (all) => rename(all, 'Deployment/gateway', 'APP_URL', 'MCP_ORIGINS'),
      'lacks the setting APP_URL',
    ],
    [
      'a process that answers calls for Go without the language model',
      (all) =>
        void (containerOf(all, 'Deployment/services').envFrom = [
          { secretRef: { name: 'quarry-providers', optional: true } },
        ]),
      'lacks the Secret quarry-model',
    ],
    [
      'a secret in the open',
      (all) => {
        const secret = containerOf(all).env.find(({ name }: Manifest) => name === 'RPC_SECRETS');
        delete Object.assign(secret, { value: 'x'.repeat(64) }).valueFrom;
      },
      'gives RPC_SECRETS openly',
    ],
    [
      'the owner for everybody',
      (all) =>
        (containerOf(all).env.find(
          ({ name }: Manifest) => name === 'DATABASE_URL',
        ).valueFrom.secretKeyRef.key = 'owner_url'),
      'is the owner',
    ],
  ]);
});
