/** Takes the place of the plugins of tap that .taprc excludes: a plugin that adds nothing to a test. */
export const plugin = () => ({});
