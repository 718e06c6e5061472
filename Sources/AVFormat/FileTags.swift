import CAVFormat
import Foundation

/// The tags in a file's headers, mostly in music files, and its cover (libavformat).
package struct FileTags: Hashable, Sendable {
  /// The title, 200 characters at most, as all texts here. None is cleaned of control characters.
  package var title: String?
  /// The performers, in one text.
  package var artist: String?
  /// The title of the album.
  package var album: String?
  /// The performers of the whole album, in one text.
  package var albumArtist: String?
  /// The genre.
  package var genre: String?
  /// The number on the disc.
  package var track: Int?
  /// The disc's number in the album.
  package var disc: Int?
  /// The bytes of the cover, which is a picture file.
  package var cover: Data?

  package init() {}

  private static let coverLimit = 16 * 1024 * 1024

  /// Reads a file's headers. It blocks: call it on a separate thread.
  ///
  /// - Parameter path: the path of a file. Other files that its content names are not opened.
  /// - Returns: nil for a format that libavformat doesn't know.
  package static func read(_ path: String) -> FileTags? {
    MediaInformation.withContainer(path) { format in
      var tags = FileTags()
      // Ogg files have their tags in the streams.
      var dictionaries = [format.metadata]
      for stream in format.streams.prefix(MediaInformation.trackLimit) {
        if !stream.isAttachedPicture {
          if stream.mediaType == AVMEDIA_TYPE_AUDIO { dictionaries.append(stream.metadata) }
        } else if tags.cover == nil, let bytes = stream.attachedPicture, bytes.count <= coverLimit {
          tags.cover = Data(buffer: bytes)
        }
      }
      func text(_ key: String) -> String? {
        dictionaries.lazy.compactMap { MediaInformation.text($0, key) }.first
      }
      /// Returns the first number of "3" or "3/12".
      func number(_ key: String) -> Int? {
        text(key)?.split(separator: "/").first.flatMap { Int($0) }
      }
      tags.title = text("title")
      tags.artist = text("artist")
      tags.album = text("album")
      tags.albumArtist = text("album_artist")
      tags.genre = text("genre")
      tags.track = number("track")
      tags.disc = number("disc")
      return tags
    }
  }
}
