import { Module, type DynamicModule } from '@nestjs/common';
import { SealedSecrets } from './sealed-secrets.js';

/** Provides {@link SealedSecrets} to every module of the process. */
@Module({})
export class SecretsModule {
  /** @param keys of ENCRYPTION_KEYS, the sealing one first; empty if secrets cannot be stored */
  static forRoot(keys: readonly string[]): DynamicModule {
    return {
      module: SecretsModule,
      global: true,
      providers: [{ provide: SealedSecrets, useValue: new SealedSecrets(keys) }],
      exports: [SealedSecrets],
    };
  }
}
