import { Command } from 'commander';
import { Session, type GlobalOptions } from './session.js';

/** A command whose action gets a session, created from all options of its line. */
export class QuarryCommand extends Command {
  override createCommand(name?: string): QuarryCommand {
    return new QuarryCommand(name);
  }

  /** Sets the action. It gets the session, the arguments of the line, and the options of the command. */
  withSession<Args extends unknown[]>(act: (session: Session, ...args: Args) => void | Promise<void>): this {
    return this.action((...line: unknown[]) => {
      const session = new Session(this.optsWithGlobals<GlobalOptions>());
      return act(session, ...(line.slice(0, -1) as Args));
    });
  }
}
