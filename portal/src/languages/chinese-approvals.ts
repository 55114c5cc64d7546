import type { Catalogue } from "./english.ts";

export const chineseApprovals: Catalogue["approvals"] = {
  title: "双人确认",
  lede: "部分操作在此需要两个人。您确认的正是所显示的内容，仅此而已。",
  noneTitle: "没有等待双人确认的操作",
  none: "有些操作需要批准，例如新密钥或大额退款。其他人提出请求时会显示在这里。",
  why: "操作原因",
  ask: "请第二个人确认",
  asked: "所有可以确认的人都收到了邮件。确认后，请在此重新操作，或前往页面",
  until: "有效至",
  waits: "等待另一位拥有相同权限的人。",
  confirmed: "已有人确认。请在一小时内完成。",
  goBack: "已有人确认。请回到提出请求的页面重新操作。",
  confirm: "确认",
  go: "立即执行",
  takeBack: "收回",
  turnDown: "拒绝",
  break: "查看差异 {{number}}",
};
