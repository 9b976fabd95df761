import { showToast } from './toasts';

/** Puts a text into the clipboard, and says whether that went well. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast('Copied.');
  } catch {
    showToast('This browser lets pages copy over https only: select the text instead.');
  }
}
