# `cpack` in a build folder writes relaxscope_VERSION_ARCHITECTURE.deb: what `cmake --install` puts under /usr, without
# debug symbols; the libraries that the programs load become its dependencies.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME relaxscope)
set(CPACK_PACKAGE_CONTACT "relaxscope maintainers <maintainers@relaxscope.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "visual debugger of the Relax and TIR compiler")
set(CPACK_PACKAGE_DESCRIPTION "Opens a Relax module and lets one see every compiler pass and every instruction of its
virtual machine, forwards and backwards, with all values; exports compiled packages that run without it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The first draws graphs for export, the others are what text is shown in, and what reads the manual.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "graphviz, fonts-dejavu-core, man-db")
include(CPack)
