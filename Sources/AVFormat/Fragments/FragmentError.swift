import CAVFormat

/// A failed reading of a film in fragments.
package enum FragmentError: Error, Hashable, Sendable {
  /// This process uses other major versions of FFmpeg's libraries than the program was compiled with.
  case otherVersion(libavformat: UInt32)
  /// A failed call of FFmpeg's libraries; the code is an `AVERROR`, below zero.
  case failed(operation: String, code: CInt)
  /// A file without a picture and without sound.
  case empty
  /// A file without a sound track.
  case noSound
  /// A file without a sound track of this index.
  case noTrack(Int)
  /// A picture that the browser doesn't play and that can't be converted, or one without times that needs to be, in libavcodec's name for its codec.
  case picture(codec: String)
  /// Sound that can't be converted, in libavcodec's name for its codec.
  case sound(codec: String)
  /// A packet that is larger than a fragment may be.
  case tooLarge
  /// A reading that another thread ended.
  case interrupted

  static func check(_ status: CInt, _ operation: String) throws(FragmentError) {
    guard status < 0 else { return }
    throw status == matinee_interrupted ? .interrupted : .failed(operation: operation, code: status)
  }
}

extension FragmentError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .otherVersion(let version):
      "Films can't be shown in browsers: this program needs another version of FFmpeg than the "
        + "installed one (libavformat \(version)). Install the package for this system."
    case .failed(let operation, let code):
      "The film can't be read (\(operation): \(Self.text(code)))."
    case .empty: "The file has neither a picture nor sound."
    case .noSound: "The film has no sound track."
    case .noTrack(let index): "The file has no sound track \(index)."
    case .picture(let codec): "The browser doesn't play this picture (\(codec))."
    case .sound(let codec): "The sound can't be converted (\(codec))."
    case .tooLarge: "The film's pictures are too large for a browser."
    case .interrupted: "The reading was ended."
    }
  }

  private static func text(_ code: CInt) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      av_strerror(code, buffer.baseAddress, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }
}
