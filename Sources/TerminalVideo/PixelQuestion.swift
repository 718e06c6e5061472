/// A question to the terminal about its media for pixels, in kitty's graphics protocol (its documentation, "Querying
/// support and available transmission mediums").
///
/// It transmits a picture of one pixel by each medium, which the terminal checks and forgets. A terminal that can read
/// this process's shared memory is on this machine.
package enum PixelQuestion {
  private static func id(of medium: PictureQuality.Medium) -> Int {
    switch medium {
    case .sharedMemory: 7_300_003
    case .link: 7_300_000
    }
  }

  /// Returns the question.
  ///
  /// - Parameters:
  ///   - memory: shared memory to ask about; nil asks about the terminal's own link only.
  ///   - throughTmux: whether to ask tmux's own terminal. Its answer is typed into tmux's active
  ///     pane, so nothing is asked while a film plays.
  package static func bytes(memory: SharedPictures?, throughTmux: Bool = false) -> [UInt8] {
    let requests = requests(memory)
    return throughTmux ? requests.flatMap(TmuxPassthrough.wrapped) : requests.flatMap { $0 }
  }

  private static func requests(_ memory: SharedPictures?) -> [[UInt8]] {
    let shared = memory?.share([0, 0, 0]).map { name in
      request(
        .sharedMemory, "t=s", String(decoding: Base64.encode(Array(name.utf8)), as: UTF8.self))
    }
    return [shared, request(.link, "t=d", "AAAA")].compactMap { $0 }
  }

  private static func request(
    _ medium: PictureQuality.Medium, _ transmission: String, _ data: String
  ) -> [UInt8] {
    Array("\u{1B}_Gi=\(id(of: medium)),s=1,v=1,a=q,\(transmission),f=24;\(data)\u{1B}\\".utf8)
  }

  /// Returns the medium that an answer confirms; nil for every other text.
  ///
  /// - Parameter answer: the terminal's bytes from the `_` on.
  package static func medium(confirmedBy answer: some StringProtocol) -> PictureQuality.Medium? {
    PictureQuality.Medium.allCases.first { answer.hasPrefix("_Gi=\(id(of: $0));OK") }
  }
}
