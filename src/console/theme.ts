import {
  Anchor,
  createTheme,
  defaultVariantColorsResolver,
  Modal,
  Notification,
  type VariantColorsResolver,
} from '@mantine/core';

/** Tinted parts keep their ground; the words on it are dark, or light, enough to be read (WCAG AA, 4.5 to 1). */
const readableTints: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  if (input.variant !== 'light' || !input.color) return resolved;
  const shade = (index: number): string => `var(--mantine-color-${input.color}-${index})`;
  return { ...resolved, color: `light-dark(color-mix(in srgb, ${shade(9)} 60%, black), ${shade(1)})` };
};

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  variantColorResolver: readableTints,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // A link is known by more than its colour.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // The cross that closes something has a name.
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close the dialog' } } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } },
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    }),
  },
});
