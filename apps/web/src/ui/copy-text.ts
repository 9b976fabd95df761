import { showToast } from './toasts';

/** Copies a text to the clipboard, and shows whether that succeeded. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast('Copied.');
  } catch {
    showToast('This browser lets pages copy over https only: select the text instead.');
  }
}
