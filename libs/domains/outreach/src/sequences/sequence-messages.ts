import { renderMessage, TemplateError } from './message-template.js';
import type { Contact } from './sequence-audience.js';
import type { SequenceDefinition } from './sequence-definition.js';

/** A message as it would be sent, without its footer; or the reason why it cannot be rendered. */
export type RenderedStep =
  | { step: number; subject: string; text: string; fault: null }
  | { step: number; subject: null; text: null; fault: TemplateError };

/** @returns the messages that were not sent to a contact yet. Later ones answer in the thread of the first */
export function messagesOf(
  { steps }: SequenceDefinition,
  contact: Pick<Contact, 'step' | 'variables'>,
): RenderedStep[] {
  let first = '';
  return steps.flatMap((content, step): RenderedStep[] => {
    // An existing thread keeps its subject. For a later step alone, it is rendered only for the preview.
    if (step < contact.step && step > 0) return [];
    try {
      const { subject, text } = renderMessage(content, contact.variables);
      if (step === 0) first = subject ?? '';
      const shown = subject ?? (/^re:/i.test(first) ? first : `Re: ${first}`);
      return step < contact.step ? [] : [{ step, subject: shown, text, fault: null }];
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return step < contact.step ? [] : [{ step, subject: null, text: null, fault: error }];
    }
  });
}

/** @returns the fault of a message as a sentence that names its part */
export function faultSentence({ part, message }: TemplateError): string {
  return `The ${part} ${message}.`;
}
