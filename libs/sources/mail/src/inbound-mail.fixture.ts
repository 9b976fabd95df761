/** Creates a reply of a person. Given headers replace the default ones; a null header is omitted. */
export function inboundMail(body: string, headers: Readonly<Record<string, string | null>> = {}): Buffer {
  const all = {
    From: 'Grace Hopper <Grace@Customer.example>',
    To: 'Ada <ada@sender.example>',
    Subject: 'Re: Greetings from Berlin',
    'Message-ID': '<answer-1@customer.example>',
    'In-Reply-To': '<msg_1@sender.example>',
    References: '<msg_0@sender.example> <msg_1@sender.example>',
    Date: 'Fri, 27 Nov 2026 11:00:00 +0100',
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body.replace(/\r?\n/g, '\r\n')}`);
}

/** Creates a delivery report with its three parts, each with its header lines. */
export function deliveryReport(
  parts: readonly string[],
  headers: Readonly<Record<string, string | null>> = {},
): Buffer {
  const body = [...parts.map((part) => `--report\n${part}\n`), '--report--\n'].join('');
  return inboundMail(body, {
    'In-Reply-To': null,
    References: null,
    'Content-Type': 'multipart/report; report-type=delivery-status; boundary="report"',
    ...headers,
  });
}
