import { Module, type DynamicModule } from '@nestjs/common';
import { OutboundNetwork, type NetworkSettings } from '@quarry/safe-http';
import { DomainRecords } from './domain-records.js';
import { ImapReader } from './imap-reader.js';
import { MailTransport } from './mail-transport.port.js';
import { MailboxReader } from './mailbox-reader.port.js';
import { SmtpTransport } from './smtp-transport.js';

/** Network rules for mail servers. They also allow `host:port` entries with other ports than those of mail. */
export interface MailNetwork extends NetworkSettings {
  /** Certificate authorities in PEM to trust instead of the default ones. */
  ca?: string;
}

/** Access to mail servers and name servers, for all modules of the process. */
@Module({})
export class MailModule {
  static forRoot({ ca, ...settings }: MailNetwork): DynamicModule {
    const { dns, guard } = new OutboundNetwork(settings);
    const options = ca === undefined ? {} : { ca };
    return {
      module: MailModule,
      global: true,
      providers: [
        { provide: MailTransport, useFactory: () => new SmtpTransport(guard, options) },
        { provide: MailboxReader, useFactory: () => new ImapReader(guard, options) },
        { provide: DomainRecords, useFactory: () => new DomainRecords(dns) },
      ],
      exports: [MailTransport, MailboxReader, DomainRecords],
    };
  }
}
