import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { classify } from '@quarry/extraction';

/** Implements classifyText without a model: by the words of the labels and their cues. */
export class ClassifyTextProvider implements LookupProvider {
  readonly id = 'rules';
  readonly services = ['classifyText'];

  answerCall({ input }: ProviderCall): Promise<ProviderAnswer> {
    const { text, labels } = input as { text: string; labels: string[] };
    const classified = classify(text, labels);
    return Promise.resolve(answerOf(this.id, classified.label !== null, classified));
  }
}
