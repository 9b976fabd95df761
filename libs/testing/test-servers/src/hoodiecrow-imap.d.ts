/** The package has no types. */
declare module 'hoodiecrow-imap' {
  import type { Server } from 'node:net';

  interface HoodiecrowMessage {
    raw: string;
    uid: number;
    flags: string[];
    internaldate: string;
  }

  interface HoodiecrowFolder {
    messages?: HoodiecrowMessage[];
    uidvalidity?: number;
    uidnext?: number;
    'special-use'?: string;
  }

  type CommandHandler = (...given: unknown[]) => void;

  interface HoodiecrowServer {
    server: Server;
    /** @param raw one character per byte */
    appendMessage(
      folder: string,
      flags: string[],
      internaldate: string | Date,
      raw: string,
    ): { message: HoodiecrowMessage };
    getCommandHandler(command: string): CommandHandler;
    setCommandHandler(command: string, handler: CommandHandler): void;
    getMailbox(path: string): Required<HoodiecrowFolder> | undefined;
  }

  export default function hoodiecrow(options: {
    credentials: { cert: string; key: string };
    secureConnection: boolean;
    plugins: Array<string | ((server: HoodiecrowServer) => void)>;
    users: Record<string, { password: string }>;
    storage: {
      INBOX: HoodiecrowFolder;
      '': { separator: string; folders: Record<string, HoodiecrowFolder> };
    };
  }): HoodiecrowServer;
}
