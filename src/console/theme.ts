import {
  Anchor,
  createTheme,
  defaultVariantColorsResolver,
  type ModalProps,
  NavLink,
  type NotificationProps,
  type VariantColorsResolver,
} from '@mantine/core';

/** Variants that put colored text on a tint of the same color (`subtle`: while hovered). */
const TINTED_VARIANTS = ['light', 'subtle'];

/** Darkens or lightens text on a tint to the contrast that WCAG AA requires (4.5:1). */
const accessibleTintedVariants: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  const { theme, color = theme.primaryColor } = input;
  if (!TINTED_VARIANTS.includes(input.variant) || !(color in theme.colors)) return resolved;
  const shade = (index: number): string => `var(--mantine-color-${color}-${index})`;
  return { ...resolved, color: `light-dark(color-mix(in srgb, ${shade(9)} 60%, black), ${shade(1)})` };
};

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  respectReducedMotion: true,
  variantColorResolver: accessibleTintedVariants,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // Links must be recognizable without color.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // Without a variant, its colors are not those of `variantColorResolver`.
    // The padding fits the longest menu, of an admin key with a customer, into 800 px.
    NavLink: NavLink.extend({ defaultProps: { variant: 'light', py: 5 } }),
    // Without the components themselves, which are not in the first view.
    Modal: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close dialog' } } satisfies Partial<ModalProps>,
    },
    Notification: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close notification' },
      } satisfies Partial<NotificationProps>,
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
    },
  },
});
