import DefaultTheme from "vitepress/theme";
import type { Theme } from "vitepress";
import Front from "./Front.vue";
import Layout from "./Layout.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => void app.component("front", Front),
} satisfies Theme;
