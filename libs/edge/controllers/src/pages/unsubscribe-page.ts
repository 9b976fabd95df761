/** The page has one form and nothing else: no script, no image, nothing from elsewhere. */
export const UNSUBSCRIBE_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.375rem; margin: 0 0 .75rem; }
button { font: inherit; padding: .6rem 1.1rem; border: 0; border-radius: .5rem; background: #1f5eff; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #8ab0ff; outline-offset: 2px; }`;

/**
 * Returns the page of an unsubscribe link, which changes nothing by itself.
 * @param found the contact of the link; null for an invalid link, or an erased person
 */
export function unsubscribePage(found: { email: string; isUnsubscribed: boolean } | null): string {
  if (found === null)
    return renderPage(
      'This link is not valid',
      '<p>It may be incomplete. Open it again from the message.</p>',
    );
  if (found.isUnsubscribed) return unsubscribedPage();
  return renderPage(
    'Stop these messages?',
    `<p>No more messages will be sent to <strong>${escapeHtml(found.email)}</strong>.</p>
    <form method="post"><button type="submit">Unsubscribe</button></form>`,
  );
}

/** Returns the page after the click. */
export function unsubscribedPage(): string {
  return renderPage(
    'You are unsubscribed',
    '<p>You will not receive any more messages from this sender.</p>',
  );
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
    <h1>${title}</h1>
    ${body}
    </main>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
