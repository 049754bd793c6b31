/* Made by scripts/train-locality.mjs from bench/locality. */
export const MODEL = "all-minilm-l6-v2-q4";
export const BIAS = -0.1049;
/** What one in the bytes below counts. */
export const SCALE = 0.010369;
export const WEIGHTS =
  "Arzp4S0HidgB7BoVBiAM/UPYQQ7nnhfVA+UHEPcr9s7p+x+6GOr7yx8T2B4DMgwfHj4X3jwMsggi6Q7t08LCEM4W7vAs3wnXMsYOKhEHLt8O7BX45gMEMP78KA8CBd7P/g4kxQUUCiID8u82EScVHkseC1zUEfXyvhsrvCxH/QDyLwi/8QvxMEv50DQBx/j+E/09JyekOSsBKxAxRQjXGjYA4zL7EPr0Ew4XBL4MCNkWBubvweD3/f28Iscu/BwsCfbq3rjxJAgwztsxAy0t+S7rFwA2FQAx5CML+ww5GgCwv/vkHxP///8M0/n1HtXaMw44KvMcsyIsEA/23POnwewi7Aa7+w0lB+rS9wsA9M/9Bw3+GwPROUf4QAIt4wAoEigsNg0x1PIt+xcpvhnHnfLoHisl8ySBDwbx37v/AwAlRj0YHKkPL+Al78jyBxwRE+zc9tlFIwwbHfjNFdzDvhb21uKyAf7x1ePACR4jw/YfJhbD/StF5drTEA/7xr3m";
