import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, SealedSecrets, type Logger } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { TenantProviders } from './choices/tenant-providers.js';
import { VendorChoiceStore } from './choices/vendor-choice.store.js';
import { VendorChoices } from './choices/vendor-choices.js';
import { VendorChoicesController } from './choices/vendor-choices.controller.js';
import { ImportedDirectories } from '@quarry/imported';
import { ConfiguredProviders, type ProviderSettings } from './operator/configured-providers.js';
import { Providers } from '@quarry/engine';

/** Injection token of the process's secrets; without any configured, nothing can be encrypted or decrypted. */
const SECRETS = Symbol('quarry:providers:secrets');

/**
 * Binds {@link Providers} for all modules of the process. Requires the database and the logger from global modules, and
 * {@link SealedSecrets} if organisations may have their own keys.
 */
@Module({})
export class ProvidersModule {
  /** @throws ProviderSettingsError immediately, before the process opens any connection */
  static forRoot(settings: ProviderSettings): DynamicModule {
    const operator = new ConfiguredProviders(settings);
    return {
      module: ProvidersModule,
      global: true,
      providers: [
        VendorChoiceStore,
        {
          provide: SECRETS,
          useFactory: (secrets?: SealedSecrets) => secrets ?? new SealedSecrets([]),
          inject: [{ token: SealedSecrets, optional: true }],
        },
        {
          provide: TenantProviders,
          useFactory: (
            database: Database,
            store: VendorChoiceStore,
            secrets: SealedSecrets,
            logger: Logger,
          ) => {
            const imported = new ImportedDirectories(database, operator.directoryOrder);
            return new TenantProviders(operator, store, secrets, logger, imported);
          },
          inject: [Database, VendorChoiceStore, SECRETS, LOGGER],
        },
        { provide: Providers, useExisting: TenantProviders },
        {
          provide: VendorChoices,
          useFactory: (
            database: Database,
            store: VendorChoiceStore,
            secrets: SealedSecrets,
            chosen: TenantProviders,
          ) => {
            const onChanged: ConstructorParameters<typeof VendorChoices>[0]['onChanged'] = (tenant) =>
              chosen.forgetTenant(tenant);
            return new VendorChoices({
              database,
              store,
              secrets,
              places: operator.places,
              checkKey: (vendor, key) => operator.checkKey(vendor, key),
              onChanged,
            });
          },
          inject: [Database, VendorChoiceStore, SECRETS, TenantProviders],
        },
      ],
      exports: [Providers, VendorChoices],
    };
  }
}

/** Handles the calls for vendors and the keys that organisations have there. */
@Module({ controllers: [VendorChoicesController] })
export class ProvidersApiModule {}
