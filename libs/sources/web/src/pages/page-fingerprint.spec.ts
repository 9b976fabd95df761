import { describe, expect, it } from '@jest/globals';
import { marksOf } from './page-fingerprint.js';

const url = 'https://www.halbrook.example/start';
const marks = (html: string) => marksOf({ html, url });

describe('the fingerprint of a page', () => {
  it('contains its tags and scripts, and not its text', () => {
    const { tags, inline, assets, loaded } = marks(`<!-- <link href="/old.css"> -->
      <SCRIPT SRC='/a.js'></SCRIPT><script>var own = "<b>"</script><script type="application/ld+json">{"data":1}</script>
      <textarea><i></textarea><img src="https://other.example/x.png"><img src=https://cdn.halbrook.example/y.png>
      <img src="https://i0.wp.example/halbrook.example/z.png"><iframe src="https://board.example/embed"></iframe> a < b`);
    expect(tags).not.toMatch(/old\.css|<b>|<i>/);
    expect(inline).toBe('\nvar own = "<b>"');
    expect(assets).toEqual([
      '/a.js',
      'https://cdn.halbrook.example/y.png',
      'https://i0.wp.example/halbrook.example/z.png',
    ]);
    expect(loaded).toEqual(['/a.js', 'https://board.example/embed']);
  });

  it('has correct positions even after letters that grow in lower case', () => {
    const { inline, loaded } = marks(`${'İ'.repeat(40)}<script>own()</script><iframe src="/f"></iframe>`);
    expect([inline, loaded]).toEqual(['own()', ['/f']]);
  });

  it.each(['<!-- <p>', '<script>never closed', '<a href="x', '<'])('ends at "%s"', (text) => {
    expect(marks(`<p>${text}`).tags).toContain('<p>');
  });
});
