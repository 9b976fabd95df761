import type { ProviderAnswer, ProviderCall, LookupProvider } from '@quarry/engine';
import { classify } from '@quarry/extraction';

/** classifyText where no model is: by the words of the labels and those that usually stand for them. */
export class ClassifyTextProvider implements LookupProvider {
  readonly id = 'rules';
  readonly services = ['classifyText'];

  answerCall({ input }: ProviderCall): Promise<ProviderAnswer> {
    const { text, labels } = input as { text: string; labels: string[] };
    const classified = classify(text, labels);
    return Promise.resolve({
      found: classified.label !== null,
      deep: false,
      provider: this.id,
      output: { ...classified, provider: this.id },
    });
  }
}
