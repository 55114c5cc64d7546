import type { Catalogue } from "./english.ts";

export const chineseSavedViews: Catalogue["savedViews"] = {
  title: "您保存的视图",
  save: "+ 保存此视图",
  saveTitle: "保存此视图",
  lede: "保存此页面及其筛选条件，可在菜单和搜索中找到。只有您能看到。",
  name: "名称",
  nameHint: "如果已有同名视图，将被替换。",
  do: "保存",
  remove: "删除 {{name}}",
};
