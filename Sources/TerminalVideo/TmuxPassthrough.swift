/// tmux's way to let bytes through to its own terminal, unchanged, if its option `allow-passthrough` is on (tmux(1)).
enum TmuxPassthrough {
  /// Returns the sequence that makes tmux write `bytes` to its terminal.
  static func wrapped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var result = Array("\u{1B}Ptmux;".utf8)
    for byte in bytes {
      if byte == 0x1B { result.append(byte) }
      result.append(byte)
    }
    return result + [0x1B, 0x5C]
  }
}
