import Timekeeping

/// The description of a film as its fragments hold it.
package struct FragmentedFilm: Hashable, Sendable {
  /// An audio or subtitle track that the reader can select.
  package struct Track: Hashable, Sendable {
    /// The number of the stream in the file, from 0; mpv calls it `ff-index`.
    package var index: Int
    /// The title in the file, not cleaned of control characters; nil if it has none.
    package var title: String?
    /// The language code in the file; nil if the file doesn't state it.
    package var language: String?
    /// A Boolean value that indicates whether the file marks the track as a default.
    package var isDefault: Bool
    /// A Boolean value that indicates whether the text has styles and places, which the cues don't keep.
    package var isStyled = false
  }

  /// The type of the fragments for `MediaSource.isTypeSupported`, with the codecs' strings of RFC 6381.
  package var mime: String
  /// libavcodec's name of the picture's codec in the file; nil for a film without a picture.
  package var videoCodec: String?
  /// libavcodec's name of the sound's codec in the file; nil for a film without sound.
  package var audioCodec: String?
  /// A Boolean value that indicates whether the picture is converted to H.264, which takes about one processor core.
  package var isPictureEncoded = false
  /// A Boolean value that indicates whether the sound is converted to AAC.
  package var isSoundEncoded = false
  /// The duration that the headers state; nil for none.
  package var duration: Duration?
  /// The first time stamp in the file. All times of fragments and cues are on the same timeline.
  package var start: MediaTime
  /// The average number of pictures per second as a fraction; nil if the file doesn't state it.
  package var frameRate: Fraction?
  /// The file's size in bytes; 0 if it isn't known.
  package var size: Int
  /// The tracks with sound.
  package var audioTracks: [Track] = []
  /// The tracks with subtitles that are text.
  package var subtitleTracks: [Track] = []

  /// A fraction above zero.
  package struct Fraction: Hashable, Sendable {
    /// The numerator.
    package var numerator: Int
    /// The denominator.
    package var denominator: Int
  }
}

/// A part of a film as fragmented MP4, for `SourceBuffer.appendBuffer`.
package struct Fragment: Hashable, Sendable {
  /// The bytes: `ftyp` and `moov`, or `moof` and `mdat`; 16 MiB at most.
  package var bytes: [UInt8]
  /// The time of the first picture, or of the first sound in a film without pictures. It may be negative in a film that
  /// was cut; browsers drop everything before zero, unless the page sets `timestampOffset`.
  package var start: MediaTime
  /// The time at which the last picture ends.
  package var end: MediaTime
  /// A Boolean value that indicates whether the bytes are an initialization segment, which holds for the fragments
  /// after it. Its start and its end are those of the fragment after it.
  package var isInit: Bool
}
