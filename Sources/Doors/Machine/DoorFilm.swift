/// The film in the keeper's player, for guests without a copy.
package struct DoorFilm: Hashable, Sendable {
  /// The identifier of the coordinator's item.
  package var item: String
  /// The path of the file; nil for a stream.
  package var path: String?
  package var isOtherCopy: Bool

  package init(item: String, path: String?, isOtherCopy: Bool) {
    self.item = item
    self.path = path
    self.isOtherCopy = isOtherCopy
  }
}
